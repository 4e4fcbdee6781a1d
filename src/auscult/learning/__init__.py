"""Neural network training, shared by models and text generators."""
