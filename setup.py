"""The packages: those of the folder cdec, and the folders at the top that are part of it."""

from setuptools import find_packages, setup

TOP = ("baselines", "settings", "configs")

setup(
    packages=[
        *find_packages(include=["cdec", "cdec.*"]),
        *(f"cdec.{name}" for name in find_packages(include=[*TOP, *(f"{top}.*" for top in TOP)])),
    ],
    package_dir={f"cdec.{top}": top for top in TOP},
)
