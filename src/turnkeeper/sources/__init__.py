"""Where facts come from. Each source is a translator (vendor message to facts) and a follower."""
