"""Records of games: what is too large to be read."""

import zipfile

import numpy as np
import pytest
import tengen


def test_the_arrays_of_a_file_share_a_budget(tmp_path):
    path = tmp_path / "large.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("boards", "policies"):
            with archive.open(f"{name}.npy", "w") as entry:
                header = {"descr": "|u1", "fortran_order": False, "shape": (130 << 20,)}
                np.lib.format.write_array_header_1_0(entry, header)
                for _ in range(130):
                    entry.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(ValueError, match="256 MB"):
        tengen.load_records(path)
