// A program that does nothing.
setTimeout(() => undefined, 1e9);
