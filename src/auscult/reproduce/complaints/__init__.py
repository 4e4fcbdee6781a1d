"""Lee 2018: chief complaints generated from the records of emergency visits."""
