from nbembed import affinities as affinities
from nbembed import baselines as baselines
from nbembed import datasets as datasets
from nbembed import experiments as experiments
from nbembed import measures as measures
from nbembed import methods as methods
from nbembed import objectives as objectives
from nbembed import optimizers as optimizers
from nbembed import plots as plots
from nbembed import posteriors as posteriors
from nbembed import spectral as spectral
from nbembed.learning_metric import LearningMetric as LearningMetric
from nbembed.methods import HSSNE as HSSNE
from nbembed.methods import SNE as SNE
from nbembed.methods import Mbed as Mbed
from nbembed.methods import NeRV as NeRV
from nbembed.methods import ParametricEmbedding as ParametricEmbedding
from nbembed.methods import Recipe as Recipe
from nbembed.methods import SNeRV as SNeRV
from nbembed.run import Run as Run
from nbembed.schedule import Schedule as Schedule
from nbembed.schedule import Stage as Stage
from nbembed.session import Session as Session
from nbembed.session import load_session as load_session
from nbembed.supervision import Supervision as Supervision
from nbembed.widget import Explorer as Explorer

__version__: str
