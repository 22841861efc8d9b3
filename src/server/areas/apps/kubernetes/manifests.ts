import type { IDeployment } from 'kubernetes-models/apps/v1'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import type { IContainer, INamespace, IPodTemplateSpec, ISecret, IService, IServiceAccount } from 'kubernetes-models/v1'
import type { DeployFacts } from '../deploys/target.ts'
import { APP_LABEL, DEPLOY_LABEL, labelsOf, nameOf, namespaceOf } from './names.ts'

/** Settings of the operator for the pods of apps. */
export type PodSettings = {
  readonly namespacePrefix: string
  /** The image of svc itself, whose command `svc-server fetch-revision` runs before the app. */
  readonly image: string
  /** The image in which apps are built and run. It needs a shell. */
  readonly runnerImage: string
  /** Docker configuration in JSON, with which the nodes pull both images. Undefined: they need none. */
  readonly pullConfig: string | undefined
  /** Address of svc as pods reach it. */
  readonly apiUrl: string
  /** Audience of the projected token. */
  readonly audience: string
  readonly memoryBytes: number
  readonly buildMemoryBytes: number
  /** Namespace in which svc itself runs. Undefined: unknown, and then no NetworkPolicy is made. */
  readonly ownNamespace: string | undefined
}

/** Port of the app in its pod and of its Service. */
export const APP_PORT = 8080
/** How long a pod may take from its creation to the start of the app: scheduling, images, fetch and build. */
export const START_LIMIT_SECONDS = 15 * 60

/** Where the fetching container mounts the volume, and where the release is in it. */
const VOLUME = '/fetched'
const RELEASE_FOLDER = 'release'
/** A user without a name in any image, as for the pods of svc itself. */
const USER = 65_532
const GRACE_SECONDS = 30
const PULL_SECRET = 'svc-pull'
const TOKEN_SECONDS = 3_600

/** The namespace of an organization. Its pods must be as confined as `podSpec` makes them. */
export function namespaceFor(orgId: string, { namespacePrefix }: PodSettings): INamespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespaceOf(namespacePrefix, orgId),
      labels: { ...labelsOf({ orgId }), 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  }
}

/**
 * Lets pods of apps be reached by svc only, and lets them reach names, svc and public addresses only: no other pods, no
 * private networks and no metadata services, as the proxy of the target `process` does.
 */
export function networkPolicyFor(orgId: string, settings: PodSettings): INetworkPolicy | undefined {
  const { namespacePrefix, ownNamespace } = settings
  if (ownNamespace === undefined) return undefined
  const own = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ownNamespace } } }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'svc-apps', namespace: namespaceOf(namespacePrefix, orgId), labels: labelsOf({ orgId }) },
    spec: {
      podSelector: { matchExpressions: [{ key: APP_LABEL, operator: 'Exists' }] },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [own], ports: [{ port: APP_PORT, protocol: 'TCP' }] }],
      egress: [
        {
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        { to: [{ ...own, podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api-gateway' } } }] },
        {
          to: [
            { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE_V4 } },
            { ipBlock: { cidr: '::/0', except: PRIVATE_V6 } },
          ],
        },
      ],
    },
  }
}

const PRIVATE_V4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']
const PRIVATE_V6 = ['::1/128', 'fc00::/7', 'fe80::/10']

/** The identity of an app: auth-service reads organization and app from the annotations. */
export function serviceAccountFor({ orgId, appId }: DeployFacts, { namespacePrefix }: PodSettings): IServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: nameOf(appId),
      namespace: namespaceOf(namespacePrefix, orgId),
      labels: labelsOf({ orgId, appId }),
      annotations: { 'svc/org-id': orgId, 'svc/deployment': appId },
    },
    automountServiceAccountToken: false,
  }
}

type Variables = Readonly<Record<string, string>>

/** The variables of an app. A Secret, because they may be passwords and reading a Deployment is granted more widely. */
export function secretFor(deploy: DeployFacts, variables: Variables, settings: PodSettings): ISecret {
  const encoded = Object.entries(variables).map(([name, value]) => [name, Buffer.from(value).toString('base64')])
  return { apiVersion: 'v1', kind: 'Secret', metadata: metadataOf(deploy, settings), data: Object.fromEntries(encoded) }
}

/** The logins of registries, in each namespace because a pod can only use Secrets of its own. */
export function pullSecretFor(orgId: string, { namespacePrefix, pullConfig }: PodSettings): ISecret | undefined {
  if (pullConfig === undefined) return undefined
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PULL_SECRET, namespace: namespaceOf(namespacePrefix, orgId), labels: labelsOf({ orgId }) },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(pullConfig).toString('base64') },
  }
}

/**
 * The address of one deploy. It leads also to a pod that is not ready, because svc itself probes new instances and says
 * what they answered.
 */
export function serviceFor(deploy: DeployFacts, settings: PodSettings): IService {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(deploy, settings),
    spec: {
      selector: { [DEPLOY_LABEL]: deploy.deployId },
      ports: [{ name: 'http', port: APP_PORT, targetPort: APP_PORT, protocol: 'TCP' }],
      publishNotReadyAddresses: true,
    },
  }
}

/** One deploy of an app. Another deploy has a Deployment of its own, so that both run until the new one is healthy. */
export function deploymentFor(deploy: DeployFacts, variables: Variables, settings: PodSettings): IDeployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(deploy, settings),
    spec: {
      replicas: 1,
      revisionHistoryLimit: 0,
      progressDeadlineSeconds: START_LIMIT_SECONDS,
      // A second pod of the same deploy would be another instance that svc knows nothing of.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { [DEPLOY_LABEL]: deploy.deployId } },
      template: podOf(deploy, variables, settings),
    },
  }
}

function podOf(deploy: DeployFacts, variables: Variables, settings: PodSettings): IPodTemplateSpec {
  const { audience, pullConfig } = settings
  return {
    metadata: { labels: labelsOf(deploy) },
    spec: {
      ...(pullConfig !== undefined && { imagePullSecrets: [{ name: PULL_SECRET }] }),
      serviceAccountName: nameOf(deploy.appId),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        fsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      initContainers: [
        fetchContainer(deploy, settings),
        ...(deploy.buildCommand === null ? [] : [buildContainer(deploy, variables, settings)]),
      ],
      containers: [appContainer(deploy, variables, settings)],
      volumes: [
        { name: 'app', emptyDir: { sizeLimit: '1Gi' } },
        { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
        {
          name: 'svc-token',
          projected: {
            sources: [{ serviceAccountToken: { path: 'token', audience, expirationSeconds: TOKEN_SECONDS } }],
          },
        },
      ],
    },
  }
}

const CONFINED = {
  allowPrivilegeEscalation: false,
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
}
/** The release is at the same place as with the target `process`. */
const RELEASE = { name: 'app', mountPath: '/app', subPath: RELEASE_FOLDER }
const TMP = { name: 'tmp', mountPath: '/tmp' }
const TOKEN = { name: 'svc-token', mountPath: '/var/run/secrets/svc', readOnly: true }

function fetchContainer({ revisionId }: DeployFacts, { image, apiUrl }: PodSettings): IContainer {
  return {
    name: 'fetch',
    image,
    command: ['node', 'bin/svc-server.js', 'fetch-revision', apiUrl, revisionId, `${VOLUME}/${RELEASE_FOLDER}`],
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    securityContext: CONFINED,
    volumeMounts: [{ name: 'app', mountPath: VOLUME }, TMP, TOKEN],
  }
}

/** It asks for no more memory than the app, because the scheduler reserves the largest request of a pod for its life. */
function buildContainer(deploy: DeployFacts, variables: Variables, settings: PodSettings): IContainer {
  const { runnerImage, memoryBytes, buildMemoryBytes } = settings
  return {
    name: 'build',
    image: runnerImage,
    command: ['sh', '-c', deploy.buildCommand!],
    workingDir: RELEASE.mountPath,
    ...environmentOf(deploy, variables, settings),
    resources: {
      requests: { cpu: '100m', memory: megabytes(Math.min(memoryBytes, buildMemoryBytes)) },
      limits: { memory: megabytes(buildMemoryBytes) },
    },
    securityContext: CONFINED,
    volumeMounts: [RELEASE, TMP],
  }
}

function appContainer(deploy: DeployFacts, variables: Variables, settings: PodSettings): IContainer {
  const memory = megabytes(settings.memoryBytes)
  return {
    name: 'app',
    image: settings.runnerImage,
    command: ['sh', '-c', deploy.startCommand ?? 'exit 1'],
    workingDir: RELEASE.mountPath,
    ...environmentOf(deploy, variables, settings),
    ports: [{ name: 'http', containerPort: APP_PORT, protocol: 'TCP' }],
    readinessProbe: {
      httpGet: { path: deploy.healthPath, port: APP_PORT },
      periodSeconds: 5,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    resources: { requests: { cpu: '100m', memory }, limits: { memory } },
    securityContext: CONFINED,
    volumeMounts: [{ ...RELEASE, readOnly: true }, TMP, TOKEN],
  }
}

/** The app can replace what helps it, and nothing that it cannot work without. `env` wins over `envFrom`. */
function environmentOf(deploy: DeployFacts, variables: Variables, { apiUrl }: PodSettings) {
  const helpful = { LANG: 'C.UTF-8', NODE_ENV: 'production', HOST: '0.0.0.0' }
  const needed = { PORT: String(APP_PORT), HOME: '/tmp', TMPDIR: '/tmp', SVC_API_URL: apiUrl }
  const own = Object.entries(helpful).filter(([name]) => !Object.hasOwn(variables, name))
  return {
    env: [...own, ...Object.entries(needed)].map(([name, value]) => ({ name, value })),
    envFrom: [{ secretRef: { name: nameOf(deploy.deployId) } }],
  }
}

function metadataOf(deploy: DeployFacts, { namespacePrefix }: PodSettings) {
  return {
    name: nameOf(deploy.deployId),
    namespace: namespaceOf(namespacePrefix, deploy.orgId),
    labels: labelsOf(deploy),
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)}Mi`
}
