"""Training of the nets in `vision/models`. Nothing here is imported at run time; needs the `train` extra (torch, onnx)."""
