"""What the libraries that users know call a hyperparameter, where ours is exactly theirs."""

from __future__ import annotations

from collections.abc import Mapping

_CRF = "sklearn-crfsuite"
_SKLEARN = "scikit-learn"
_TORCH = "PyTorch"
_TRANSFORMERS = "Transformers"
_XGBOOST = "XGBoost"

_TRAINING = {
    "batch_size": f"{_TORCH} `DataLoader(batch_size)`",
    "epochs": f"{_TRANSFORMERS} `num_train_epochs`",
    "patience": f"{_TRANSFORMERS} `early_stopping_patience`",
    "learning_rate": f"{_TORCH} `AdamW(lr)`",
    "warmup_ratio": f"{_TRANSFORMERS} `warmup_ratio`",
    "lr_scheduler_type": f"{_TRANSFORMERS} `lr_scheduler_type`",
    "weight_decay": f"{_TORCH} `AdamW(weight_decay)`",
    "max_grad_norm": f"{_TRANSFORMERS} `max_grad_norm`",
    "threads": f"{_TORCH} `set_num_threads`",
    "metric_for_best_model": f"{_TRANSFORMERS} `metric_for_best_model`",
    "gradient_checkpointing": f"{_TRANSFORMERS} `gradient_checkpointing`",
    "min_steps": "Lightning `Trainer(min_steps)`",
    "explainer_steps": "Captum `n_steps`",
    "focal_gamma": "torchvision `sigmoid_focal_loss(gamma)`",
}
_NETWORKS = {
    "embedding_dim": f"{_TORCH} `Embedding(embedding_dim)`",
    "dropout": f"{_TORCH} `Dropout(p)`",
    "out_channels": f"{_TORCH} `Conv1d(out_channels)`",
    "kernel_size": f"{_TORCH} `Conv1d(kernel_size)`",
    "num_heads": f"{_TORCH} `MultiheadAttention(num_heads)`",
    "num_layers": f"{_TORCH} `TransformerDecoder(num_layers)`",
    "encoder": f"{_TRANSFORMERS} `from_pretrained`",
    "chunk_overlap": f"{_TRANSFORMERS} tokenizer `stride`",
}
_GENERATION = {
    name: f"{_TRANSFORMERS} `{name}`"
    for name in ("num_beams", "length_penalty", "temperature", "top_k", "top_p")
}
_CLASSICAL = {
    "min_df": f"{_SKLEARN} `min_df`",
    "max_ngram": f"{_SKLEARN} `ngram_range=(1, max_ngram)`",
    "C": f"{_SKLEARN} `1 / Ridge(alpha)`",
    "C_words": f"{_SKLEARN} `1 / Ridge(alpha)`",
    "C_concepts": f"{_SKLEARN} `1 / Ridge(alpha)`",
    "folds": f"{_SKLEARN} `StackingClassifier(cv)`",
    "min_frequency": f"{_SKLEARN} `OneHotEncoder(min_frequency)`",
    "c2": f"{_CRF} `c2`",
    "max_iterations": f"{_CRF} `max_iterations`",
}
_NAMES = {**_TRAINING, **_NETWORKS, **_GENERATION, **_CLASSICAL}

_OF_ONE: Mapping[str, Mapping[str, str]] = {
    "bigru": {"hidden_size": f"{_TORCH} `GRU(hidden_size)`"},
    "lstm": {"hidden_size": f"{_TORCH} `LSTM(hidden_size)`"},
    "tfidf-xgboost": {
        "threads": f"{_XGBOOST} `n_jobs`",
        **{
            name: f"{_XGBOOST} `{name}`"
            for name in (
                "n_estimators",
                "early_stopping_rounds",
                "max_depth",
                "learning_rate",
                "gamma",
                "max_bin",
                "reg_lambda",
                "min_child_weight",
                "scale_pos_weight",
                "subsample",
                "colsample_bytree",
            )
        },
    },
    "decoding": {"batch_size": ""},
    "linker": {"folds": ""},
    "cleaning": {"lowercase": f"{_SKLEARN} `lowercase`"},
}
"""Where a name is another library's in one model, or none's."""


def library_name(of: str, name: str) -> str:
    """The library's own parameter for a hyperparameter `name` of the model `of`; "" is none.

    >>> library_name("tfidf-xgboost", "gamma")
    'XGBoost `gamma`'
    >>> library_name("caml", "evidence")
    ''
    """
    return _OF_ONE.get(of, {}).get(name, _NAMES.get(name, ""))


def names() -> set[str]:
    """Every hyperparameter that is some library's."""
    return {*_NAMES, *(name for own in _OF_ONE.values() for name in own)}
