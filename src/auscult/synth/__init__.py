"""The synthetic hospital: charts with planted evidence, and no real patient in them."""
