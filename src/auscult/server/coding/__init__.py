"""What the code box answers: codes by their words, suggestions for marked text, pairs."""
