"""Checks of lesson 12, Autodiff: what is asked, what people get wrong, and what each mistake is told."""
