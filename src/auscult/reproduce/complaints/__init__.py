"""Lee 2018: chief complaints written from the records of emergency visits."""
