"""The state machines, the kernel they stand on, and the models made of them. Pure and total."""
