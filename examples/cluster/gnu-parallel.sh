#!/bin/sh
# A sweep over the machines that GNU parallel knows, or over the cores of this one, and the joining of its shards.
#
#   examples/cluster/gnu-parallel.sh experiment.toml 8
#   HOSTS=alpha,beta examples/cluster/gnu-parallel.sh experiment.toml 8
#
# With HOSTS the folder must be shared by all of them, at the same path. Each host has one shard at a time, so that times
# are not made longer by a neighbour. A shard that fails stops no other: what there is is joined, and the failure is told at
# the end. Start it again after whatever happened: every shard goes on where it was.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 EXPERIMENT SHARDS" >&2
    exit 2
fi
experiment=$1
shards=$2
drystone=${DRYSTONE:-drystone}
out=${SWEEP_OUT:-runs/sweep}

# Names may have blanks: parallel and the hosts have shells of their own, which read them once more.
quoted() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
sweep="$(quoted "$drystone") sweep $(quoted "$experiment")"
shard="$sweep --shard {}/$shards --out $(quoted "$out")/shard-{} --resume --threads 1 --quiet"

failed=0
if ! command -v parallel >/dev/null; then
    echo "GNU parallel is not here; the shards are run one after another" >&2
    for number in $(seq "$shards"); do
        sh -c "$(printf '%s\n' "$shard" | sed "s/{}/$number/g")" || failed=1
    done
elif [ -n "${HOSTS:-}" ]; then
    seq "$shards" | parallel --jobs 1 --sshlogin "$HOSTS" --workdir "$PWD" "$shard" || failed=1
else
    seq "$shards" | parallel "$shard" || failed=1
fi
"$drystone" sweep --collect "$out"/shard-* --out "$out/joined" --force || failed=1
if [ "$failed" -ne 0 ]; then
    echo "some shards failed, as told above; what there is of them was joined into $out/joined" >&2
fi
exit "$failed"
