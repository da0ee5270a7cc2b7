"""Tests of the page. (A package, for one Chromium at a time that all of them share.)"""
