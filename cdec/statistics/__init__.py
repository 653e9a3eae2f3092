"""Is A better than B? Intervals by resampling whole topics, and paired tests by exchanging them."""
