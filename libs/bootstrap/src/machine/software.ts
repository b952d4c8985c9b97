import type { DownloadedFile, MachineDescription } from '../description/machine-description.js';
import { script } from '../shell/script.js';
import { stateDirectory } from './directories.js';
import type { BootstrapStep } from './machine-configuration.js';
import { hasApt } from './operating-system.js';

/** A package that a node needs, by its names in the families of distributions. Without a version any one is accepted; a version has no revision of the distribution. */
export interface RequiredPackage {
  readonly apt: string;
  readonly dnf: string;
  readonly version?: string;
  /** Whether upgrades of the system leave it as it is. */
  readonly held?: boolean;
}

/** Returns the step that installs the programs of a node in their versions. */
export function softwareStep(machine: MachineDescription, packages: readonly RequiredPackage[]): BootstrapStep {
  return { name: 'software', script: softwareScript(machine, packages) };
}

/** As `softwareStep`, but the script alone. It replaces other versions, and does nothing when the versions are there. */
export function softwareScript(machine: MachineDescription, packages: readonly RequiredPackage[]): string {
  const { software, os } = machine;
  if (software.kind === 'installed') return script(':');
  if (software.kind === 'files') return filesScript(software.files);
  return hasApt(os) ? aptScript(packages) : dnfScript(packages);
}

const aptBody = `
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold --yes)
has() {
  case "$(dpkg-query --show --showformat '\${db:Status-Status} \${Version}' "$1" 2>/dev/null)" in
    "installed $2-"*) ;;
    "installed "*) [ -z "$2" ] ;;
    *) return 1 ;;
  esac
}
wanted=()
for entry in "\${packages[@]}"; do
  name=\${entry%%=*} version=
  case $entry in *=*) version=\${entry#*=} ;; esac
  has "$name" "$version" || wanted+=("$name\${version:+=$version-*}")
done
if [ "\${#wanted[@]}" -gt 0 ]; then
  dpkg --configure -a
  "\${apt[@]}" update
  "\${apt[@]}" install --no-install-recommends --allow-change-held-packages --allow-downgrades "\${wanted[@]}"
fi
[ "\${#held[@]}" = 0 ] || apt-mark hold "\${held[@]}" >/dev/null
`;

const aptScript = (packages: readonly RequiredPackage[]): string =>
  script(aptBody, {
    packages: packages.map(({ apt, version }) => (version === undefined ? apt : `${apt}=${version}`)),
    held: packages.filter(({ held }) => held).map(({ apt }) => apt),
  });

const dnfBody = `
has() {
  local version
  version=$(rpm --query --queryformat '%{VERSION}' "$1") && [ "$version" = "\${2:-$version}" ]
}
wanted=()
for entry in "\${packages[@]}"; do
  name=\${entry%%=*} version=
  case $entry in *=*) version=\${entry#*=} ;; esac
  has "$name" "$version" || wanted+=("$name\${version:+-$version}")
done
if [ "\${#wanted[@]}" -gt 0 ]; then
  dnf --assumeyes --setopt=install_weak_deps=False --setopt=disable_excludes=main --allowerasing install "\${wanted[@]}"
fi
if [ "\${#held[@]}" -gt 0 ]; then
  sed -e '/^excludepkgs=/d' -e "s/^\\[main\\]$/&\\nexcludepkgs=\${held[*]}/" /etc/dnf/dnf.conf | replace_file /etc/dnf/dnf.conf 644
fi
`;

const dnfScript = (packages: readonly RequiredPackage[]): string =>
  script(dnfBody, {
    packages: packages.map(({ dnf, version }) => (version === undefined ? dnf : `${dnf}=${version}`)),
    held: packages.filter(({ held }) => held).map(({ dnf }) => dnf),
  });

const filesBody = `
mkdir -p "$state/files"
for index in "\${!urls[@]}"; do
  mark=$state/files/$(echo "\${sums[index]} \${paths[index]}" | sha256sum | cut -c1-32)
  [ ! -e "$mark" ] || continue
  mkdir -p "$(dirname "\${paths[index]}")"
  new=$(mktemp "\${paths[index]}.XXXXXX")
  curl --fail --silent --show-error --location --retry 5 --output "$new" --url "\${urls[index]}"
  echo "\${sums[index]}  $new" | sha256sum --check --quiet
  if [ "\${kinds[index]}" = archive ]; then
    mkdir -p "\${paths[index]}"
    tar --extract --no-same-owner --file "$new" --directory "\${paths[index]}"
    rm -f "$new"
  else
    chmod 755 "$new"
    mv -f "$new" "\${paths[index]}"
  fi
  touch "$mark"
done
`;

/** Returns the script that downloads files, each with the SHA-256 that it must have. */
export const filesScript = (files: readonly DownloadedFile[]): string =>
  script(filesBody, {
    state: stateDirectory,
    urls: files.map(({ url }) => url),
    sums: files.map(({ sha256 }) => sha256),
    paths: files.map(({ path }) => path),
    kinds: files.map(({ unpack }) => (unpack ? 'archive' : 'file')),
  });
