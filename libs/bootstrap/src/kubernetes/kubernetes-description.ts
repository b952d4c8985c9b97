import type { CertificateAuthority, MachineDescription } from '../description/machine-description.js';

/** A manifest that the first control plane applies: its text, or a file with its SHA-256. */
export type Manifest =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly url: string; readonly sha256: string };

/**
 * The authorities of a cluster. All control planes have them; the keys are secrets. Without them the first control plane makes its own, and
 * further ones fetch them with `certificateKey`.
 */
export interface ClusterAuthorities {
  readonly cluster: CertificateAuthority;
  readonly frontProxy: CertificateAuthority;
  readonly etcd: CertificateAuthority;
  /** Signs tokens of service accounts: PEM of both keys. */
  readonly serviceAccount: { readonly publicKey: string; readonly privateKey: string };
}

/** Plug-ins of admission, by their names in Kubernetes. */
export interface Admission {
  readonly enabled?: readonly string[];
  readonly disabled?: readonly string[];
  /** The level that the plug-in PodSecurity enforces in all namespaces but the exempt ones. */
  readonly podSecurity?: {
    readonly level: 'privileged' | 'baseline' | 'restricted';
    readonly exemptNamespaces?: readonly string[];
  };
}

/** What is the same on all nodes of a Kubernetes cluster. */
export interface KubernetesCluster {
  readonly name: string;
  /** `host:port` of the API for all nodes: a load balancer, or the first control plane. */
  readonly endpoint: string;
  readonly podSubnet?: string;
  readonly serviceSubnet?: string;
  readonly dnsDomain?: string;
  /** Further names and addresses in the certificate of the API. */
  readonly certificateNames?: readonly string[];
  /** Where the images of the control plane are; default: Kubernetes' own registry. */
  readonly imageRepository?: string;
  /** The plug-in of the pod network (CNI): a manifest; `none`: somebody else installs one, and nodes become ready only then. */
  readonly network: { readonly kind: 'none' } | { readonly kind: 'manifest'; readonly manifest: Manifest };
  /** `external`: a controller outside of Kubernetes' own processes, installed by its manifest, initializes nodes. */
  readonly cloudProvider?: { readonly kind: 'external'; readonly manifest?: Manifest };
  readonly admission?: Admission;
  /** Applied after the network, in this order. */
  readonly addons?: readonly Manifest[];
}

/** A taint of a node. */
export interface KubernetesTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/**
 * A certificate of the cluster's authority with which a node joins, in the place of a token that the API must know: of the group
 * `system:bootstrappers:kubeadm:default-node-token`, and soon to expire. PEM; the key is a secret.
 */
export interface JoinCertificate {
  /** `host:port` of the API to join by; absent: the endpoint of the cluster. */
  readonly server?: string;
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A node of a Kubernetes cluster, made with kubeadm. The first control plane makes the cluster; all others join it. */
export interface KubernetesNodeDescription extends MachineDescription {
  readonly engine: 'kubernetes';
  readonly role: 'first-control-plane' | 'control-plane' | 'worker';
  /** Of Kubernetes, without a `v`; 1.31 or later, because of the format of kubeadm's configuration. */
  readonly version: string;
  readonly cluster: KubernetesCluster;
  /**
   * A bootstrap token of Kubernetes: a secret. The first control plane admits nodes that have it, for `lifetimeSeconds` (1800). Later ones are made
   * with `bootstrapTokenManifest`. `authorityHashes` are needed to join: `certificateHash` of the cluster's authority. Nodes with a
   * `joinCertificate` have none.
   */
  readonly joinToken?: {
    readonly token: string;
    readonly lifetimeSeconds?: number;
    readonly authorityHashes?: readonly string[];
  };
  /** Of all but the first control plane. */
  readonly joinCertificate?: JoinCertificate;
  readonly authorities?: ClusterAuthorities;
  /** 64 hexadecimal digits that encrypt the authorities which the first control plane hands to further ones, for two hours: a secret. */
  readonly certificateKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent: control planes have the taint that Kubernetes gives them. */
  readonly taints?: readonly KubernetesTaint[];
  readonly registryMirrors?: readonly { readonly registry: string; readonly endpoints: readonly string[] }[];
  /** Who owns cgroups: `systemd` (default), or the kubelet itself on a machine without systemd. */
  readonly cgroupDriver?: 'systemd' | 'cgroupfs';
  /** Whether the kubelet runs on a machine with version 1 of cgroups; later versions of Kubernetes refuse it by default. */
  readonly allowCgroupV1?: boolean;
  /**
   * Whether the machine is a container, whose kernel is that of the machine around it: modules, swap and the table of connections stay as they
   * are there, and no process gets a better score of the OOM killer than the container has.
   */
  readonly sharesKernel?: boolean;
  /** Checks of kubeadm that may fail. */
  readonly ignoredChecks?: readonly string[];
}
