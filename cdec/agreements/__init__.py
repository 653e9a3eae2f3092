"""Agreement of annotators on mentions and chains: no annotation is the key."""
