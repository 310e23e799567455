"""What people and programs ask for: read the state, ask the machine, append, act through ports."""
