"""While a check asks, the settings are ours; afterwards they are the reader's again."""

import pickle
import subprocess
import sys
import warnings

import jax
import jax.experimental.pallas.tpu  # it brings settings of its own
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import insides
from jaxcourse.exercise import Exercise, expect, judge
from jaxcourse.insides._settings import _ERRORS, _PRINTING, OURS, is_ours
from jaxcourse.probe import local_channel

LEFT = {
    "where and how a program is run, on which machine": (
        *("jax_backend_target", "jax_platform_name", "jax_platforms", "jax_xla_backend", "jax_num_cpu_devices"),
        *("jax_cuda_visible_devices", "jax_oneapi_visible_devices", "jax_rocm_visible_devices"),
        *("jax_cpu_collectives_implementation", "jax_cpu_enable_async_dispatch", "jax_cpu_enable_gloo_collectives"),
        *("jax_cpu_get_global_topology_timeout_minutes", "jax_cpu_get_local_topology_timeout_minutes"),
        *("jax_mock_gpu_topology", "mock_num_gpu_processes", "jax_pjrt_client_create_options", "jax_use_magma"),
        *("jax_sort_devices_by_process_index", "jax_use_cpp_shard_args", "jax_check_proxy_envs"),
        *("jax_send_traceback_to_runtime", "jax_experimental_unsafe_xla_runtime_errors"),
    ),
    "several processes": (
        *("jax_cross_host_transfer_socket_address", "jax_cross_host_transfer_timeout_seconds"),
        *("jax_cross_host_transfer_transfer_size", "jax_cross_host_transport_addresses", "jax_distributed_debug"),
        *("jax_distributed_verify_secure_credentials", "jax_enable_preemption_service", "jax_enable_recoverability"),
        *("jax_force_dcn_cross_host_transfers", "jax_mtls_ca_file", "jax_mtls_cert_file", "jax_mtls_key_file"),
        *("jax_mtls_peer_uri_prefix", "jax_share_binary_between_hosts", "jax_share_binary_between_hosts_timeout_ms"),
    ),
    "what is kept on disk, exported or measured": (
        *("jax_compilation_cache_check_contents", "jax_compilation_cache_dir", "jax_compilation_cache_expect_pgle"),
        *("jax_compilation_cache_include_metadata_in_key", "jax_compilation_cache_max_size"),
        *("jax_enable_compilation_cache", "jax_persistent_cache_enable_xla_caches"),
        *("jax_persistent_cache_min_compile_time_secs", "jax_persistent_cache_min_entry_size_bytes"),
        *("jax_remove_custom_partitioning_ptr_from_cache_key", "jax_serialization_version", "jax_xla_profile_version"),
        *("jax_export_calling_convention_version", "jax_export_deserialize_expired_versions"),
        *("jax_export_ignore_forward_compatibility", "jax_enable_pgle", "jax_pgle_aggregation_percentile"),
        *("jax_pgle_profiling_runs", "jax2tf_associative_scan_reductions", "jax2tf_default_native_serialization"),
    ),
    "what is said of a program": (
        *("jax_compiler_detailed_logging_min_ops", "jax_debug_log_modules", "jax_dump_ir_modes", "jax_dump_ir_to"),
        *("jax_hlo_source_file_canonicalization_regex", "jax_include_debug_info_in_dumps", "jax_logging_level"),
        *("jax_include_full_tracebacks_in_locations", "jax_mosaic_unzip_debug_locations", "jax_pallas_verbose_errors"),
        "jax_pallas_dump_promela_to",
        *("jax_pprint_use_color", "jax_source_url_schema", "jax_traceback_filtering"),
        *("jax_traceback_in_locations_limit", "jax_tracer_error_num_traceback_frames"),
        "jax_debug_leaked_clients_on_clear_backends",
    ),
    "rewritten insides of JAX, and what runs on accelerators alone": (
        *("jax_bcoo_cusparse_lowering", "jax_custom_jvp3", "jax_custom_vjp3", "jax_remat3", "jax_scan3", "jax_vjp3"),
        *("jax_embedded_constants_max_bytes", "jax_enable_custom_vjp_by_custom_transpose", "jax_mosaic_allow_hlo"),
        *("jax_pallas_auto_assign_collective_ids", "jax_pallas_auto_assign_collective_ids_limit"),
        *("jax_pallas_use_mosaic_gpu", "jax_pmap_no_rank_reduction", "jax_pmap_shmap_merge", "jax_refs_to_pins"),
        *("jax_ragged_dot_use_gpu_pallas_triton_lowering", "jax_ragged_dot_use_ragged_dot_instruction"),
        *("jax_remat_barrier_no_cotangents", "jax_use_emit_pipeline_primitive", "jax_use_hlo_logistic_lowering"),
        "jax_use_rgv3",
    ),
}
"""The settings that are left as a reader has them, and what they are about."""
HERE = sorted(OURS.keys() & jax.config.values.keys())
OTHERS = {
    "jax_array_garbage_collection_guard": "log",
    "jax_captured_constants_report_frames": 3,
    "jax_captured_constants_warn_bytes": 0,
    "jax_default_device": "cpu",
    "jax_default_dtype_bits": "32",
    "jax_default_matmul_precision": "bfloat16",
    "jax_default_prng_impl": "rbg",
    "jax_error_checking_behavior_divide": "raise",
    "jax_error_checking_behavior_nan": "raise",
    "jax_error_checking_behavior_oob": "raise",
    "jax_exec_time_optimization_effort": 0.5,
    "jax_explicit_x64_dtypes": "error",
    "jax_legacy_prng_key": "error",
    "jax_memory_fitting_effort": 0.5,
    "jax_memory_fitting_level": "O3",
    "jax_numpy_dtype_promotion": "strict",
    "jax_numpy_rank_promotion": "raise",
    "jax_optimization_level": "O1",
    "jax_random_seed_offset": 7,
    "jax_transfer_guard": "disallow",
    "jax_transfer_guard_device_to_device": "disallow",
    "jax_transfer_guard_device_to_host": "disallow",
    "jax_transfer_guard_host_to_device": "disallow",
}
"""What somebody may set instead; what is true or false is set to its opposite."""


def another(name):
    return OTHERS[name] if name in OTHERS else not OURS[name]


@pytest.fixture(autouse=True)
def _as_it_was():
    before = insides.settings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of settings that will go
        yield
        insides.set_back(before)


def test_each_setting_of_this_jax_is_decided():
    assert set(jax.config.values) - OURS.keys() <= {name for names in LEFT.values() for name in names}


def test_ours_are_those_of_a_fresh_process():
    code = "import jax, jax.experimental.pallas.tpu, numpy as np, pickle, sys; "
    code += "sys.stdout.buffer.write(pickle.dumps((jax.config.values, np.geterr(), np.get_printoptions())))"
    fresh = {"PATH": "", "JAX_PLATFORMS": "cpu"}
    said = subprocess.run([sys.executable, "-c", code], env=fresh, stdout=subprocess.PIPE, check=True).stdout
    values, errors, printing = pickle.loads(said)
    assert not [name for name in HERE if not is_ours(name, values[name])]
    assert errors == _ERRORS and printing == {name: _PRINTING[name] for name in printing}


def agrees(answer, rng):
    """Asks for what settings forbid: a NaN, other ranks and dtypes, a draw, numbers there and back."""
    x = np.array([[-1.0, 2.0], [3.0, 4.0]], np.float32)
    with np.errstate():
        want = np.log(x) + np.arange(2, dtype=np.int32) / np.zeros(2)
    expect(answer(x), want, message="The logarithm, and the quotient.")
    drawn = jax.random.uniform(jax.random.PRNGKey(3), (2,)) + jnp.sqrt(jnp.asarray(-1.0))
    assert drawn.dtype == jnp.float32 and jnp.isnan(drawn).all()


def log_and_quotient(x):
    drawn = jax.random.uniform(jax.random.PRNGKey(3), (2,))
    return jax.jit(lambda x: jnp.log(x) + jnp.arange(2) / jnp.zeros(2) + 0 * drawn)(x)


def verdict():
    return judge(Exercise("log-and-quotient", agrees), local_channel(log_and_quotient))


@pytest.mark.parametrize("name", HERE)
def test_a_setting_of_the_readers_decides_no_verdict_and_is_the_readers_again(name):
    jax.config.update(name, another(name))
    set_to = insides.settings()
    with insides.our_settings():
        assert is_ours(name, jax.config.values[name])
    found = verdict()
    assert (found.status, found.message, found.printed) == ("passed", "", "")
    assert insides.settings() == set_to and not is_ours(name, set_to[name][1])


def test_settings_that_hold_in_a_block_decide_no_verdict():
    with jax.debug_nans(True), jax.disable_jit(), jax.transfer_guard("disallow"), np.errstate(all="raise"):
        assert verdict().status == "passed"
        assert jax.config.jax_debug_nans and jax.config.jax_disable_jit and np.geterr()["over"] == "raise"


def test_settings_of_numpy_and_python_decide_no_verdict_and_are_the_readers_again():
    def says(answer, rng):
        expect(answer(1.0) == "[0.33333333 0.66666667]", True, message="As NumPy writes it.")

    def thirds(x):
        warnings.warn("odd", stacklevel=1)
        return str(np.array([1, 2]) / 3) if np.isinf(np.float64(x) / 0) else ""

    limit, before = sys.getrecursionlimit(), (np.geterr(), np.get_printoptions())
    np.seterr(all="raise")
    np.set_printoptions(precision=2, legacy="1.13")
    sys.setrecursionlimit(400)
    warnings.simplefilter("error")
    theirs = np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), list(warnings.filters)
    try:
        found = judge(Exercise("thirds", says), local_channel(thirds))
        now = np.geterr(), np.get_printoptions(), sys.getrecursionlimit(), list(warnings.filters)
    finally:
        sys.setrecursionlimit(limit)
        np.seterr(**before[0])
        np.set_printoptions(**before[1])
    assert found.status == "passed", found
    assert now == theirs


def test_a_recursion_limit_above_pythons_own_stays_the_answers():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 5_000)
    try:
        with insides.our_settings():
            assert sys.getrecursionlimit() == limit + 5_000
    finally:
        sys.setrecursionlimit(limit)


def test_what_an_answer_sets_is_found_and_put_back_also_where_the_reader_had_set_it():
    def sets(x):
        jax.config.update("jax_debug_nans", False)
        return x

    jax.config.update("jax_debug_nans", True)
    found = judge(
        Exercise("sets", lambda answer, rng: expect(answer(1.0), 1.0, message="The same.")), local_channel(sets)
    )
    assert (found.label, jax.config.jax_debug_nans) == ("changed-settings", True)


def test_a_belief_is_proven_under_our_settings():
    jax.config.update("jax_disable_jit", True)
    jax.config.update("jax_numpy_rank_promotion", "raise")
    for name in ("compiling", "leaking", "running", "calling"):
        insides.BELIEFS[name].forget()
        insides.BELIEFS[name].require()
