"""What the extension does, as jobs that can be stopped. Operators run them."""
