#!/bin/sh
# Makes debian:trixie-slim, which our images start from, on a Debian machine that reaches no image registry: root only.
# The host's own certificate authorities go into it, so that npm trusts there what it trusts here.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase --include=ca-certificates trixie "$folder/root"
chroot "$folder/root" apt-get clean
rm -rf "$folder/root/var/lib/apt/lists"/*
# As in Debian's own image: packages that were installed are not kept.
echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' \
  >"$folder/root/etc/apt/apt.conf.d/docker-clean"
# As there, too: a package is not written to the disk before the next one is unpacked.
echo force-unsafe-io >"$folder/root/etc/dpkg/dpkg.cfg.d/docker-apt-speedup"
set --
for certificate in /usr/local/share/ca-certificates/*.crt; do
  [ -e "$certificate" ] || continue
  cp "$certificate" "$folder/root/usr/local/share/ca-certificates/"
  set -- --change "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
done
chroot "$folder/root" update-ca-certificates
tar -C "$folder/root" -c . | docker import "$@" --change 'CMD ["bash"]' - debian:trixie-slim
