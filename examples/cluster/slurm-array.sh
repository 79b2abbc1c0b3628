#!/bin/bash
# A sweep as a Slurm job array: one shard a task, and a job that joins them when all have ended.
#
#   examples/cluster/slurm-array.sh submit experiment.toml 16
#
# Run from a folder that all nodes share. A task that is killed (time limit, preemption, a node that fails) loses at most
# the run it was at: submit again, and every shard goes on where it was.
#SBATCH --job-name=drystone
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
#SBATCH --requeue
set -eu

drystone=${DRYSTONE:-drystone}
out=${SWEEP_OUT:-runs/sweep}
threads=${SLURM_CPUS_PER_TASK:-1}

usage() {
    echo "usage: $0 submit EXPERIMENT SHARDS | $0 shard EXPERIMENT SHARDS | $0 collect" >&2
    exit 2
}

case "${1:-}" in
submit)
    [ $# -eq 3 ] || usage
    array=$(sbatch --parsable --array="1-$3" "$0" shard "$2" "$3")
    # After any end, not only a good one: what is missing is listed.
    sbatch --dependency="afterany:${array%%;*}" --ntasks=1 "$0" collect
    ;;
shard)
    [ $# -eq 3 ] || usage
    "$drystone" sweep "$2" --shard "$SLURM_ARRAY_TASK_ID/$3" --out "$out/shard-$SLURM_ARRAY_TASK_ID" \
        --resume --threads "$threads" --quiet
    ;;
collect)
    # Run directories of the joined sweep are written anew each time; the shards stay as they are.
    "$drystone" sweep --collect "$out"/shard-* --out "$out/joined" --force
    ;;
*)
    usage
    ;;
esac
