"""The performance that `turnkeeper demo` shows: who plays, what they say, how time passes."""
