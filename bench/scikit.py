# scikit-learn's boosted trees on the same sales: python3 scikit.py <folder with x, y, test> writes predictions to <folder>/p
import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

folder = sys.argv[1]
y = np.fromfile(f"{folder}/y", dtype=np.float64)
x = np.fromfile(f"{folder}/x", dtype=np.float32).reshape(len(y), -1)
test = np.fromfile(f"{folder}/test", dtype=np.uint8).astype(bool)
trees = HistGradientBoostingRegressor(
    max_iter=400, learning_rate=0.06, max_leaf_nodes=31, min_samples_leaf=10, l2_regularization=2, random_state=1
)
trees.fit(x[~test], y[~test])
trees.predict(x[test]).astype(np.float64).tofile(f"{folder}/p")
