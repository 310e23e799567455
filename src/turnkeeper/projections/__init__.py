"""What the facts come to: folds that can be thrown away and made anew from the journal."""
