// The overview: problems first, figures, cards; everything that can change changes by itself.
