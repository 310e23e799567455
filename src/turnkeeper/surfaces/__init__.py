"""Where what is known is shown: to scripts, to browsers, to a person's pocket."""
