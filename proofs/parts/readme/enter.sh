# Makes the folder $1 the root of this mount namespace, with this kernel's devices, and stays.
set -e
mount --bind "$1" "$1"
cd "$1"
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs tmpfs run
mount -t proc proc proc
pivot_root . before
umount --lazy /before
exec sleep infinity
