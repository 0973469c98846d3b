# The first process of a machine: makes the folder $1 its root, shows it the memory that $2 tells of, and becomes systemd.
set -e
root=$1 meminfo=$2
groups=$(awk '$3 ~ /^cgroup2?$/ { print $2 ":" $3 ":" $4 }' /proc/self/mounts)
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --bind "$meminfo" proc/meminfo
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
for device in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${device%:*}" c 1 "${device#*:}"; done
mknod -m 666 dev/tty c 5 0
mknod -m 600 dev/kmsg c 1 11
: >dev/console
# The machine's own part of each hierarchy of control groups, at the places where this kernel has them.
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
for group in $groups; do
  at=${group%%:*} rest=${group#*:}
  mkdir -p ".$at"
  if [ "${rest%%:*}" = cgroup2 ]; then mount -t cgroup2 cgroup2 ".$at"; continue; fi
  names=$(echo "${rest#*:}" | tr , '\n' | grep -vxE 'rw|relatime|nosuid|nodev|noexec' | paste -sd,)
  case $names in name=*) names=none,$names ;; esac
  mount -t cgroup -o "$names" cgroup ".$at"
done
mkdir -p .before
pivot_root . .before
cd /
umount --lazy /.before
rmdir /.before
exec env -i container=lab PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 \
  /lib/systemd/systemd --system systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1 \
  systemd.log_target=journal systemd.show_status=0
