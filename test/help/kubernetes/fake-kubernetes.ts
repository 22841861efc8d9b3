import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type Clock, systemClock } from '#lib/time/clock.ts'
import type { Environment } from '../../../src/server/config/reader.ts'
import { CERTIFICATES } from './fake-kubernetes-certificates.ts'
import { API_AUDIENCE, reviewOf, type ServiceAccount, type ServiceAccountClaims } from './fake-token-review.ts'

type Reply = { status: number; body: unknown }
type TokenOptions = { audiences?: string[]; seconds?: number; pod?: string }

/** A Kubernetes API server on loopback over TLS with service accounts. Its answers are those of version 1.36. */
export type FakeKubernetes = AsyncDisposable & {
  url: string
  ca(): string
  /** Folder of the credentials that a pod of auth-service gets. */
  env: Environment
  credentialsDir: string
  reviewerToken(): string
  /** Creates a service account. An existing one is replaced and gets a new uid. */
  serviceAccount(namespace: string, name: string, annotations?: Record<string, string>): ServiceAccount
  deleteServiceAccount(account: ServiceAccount): void
  token(account: ServiceAccount, options?: TokenOptions): string
  /** Whether the two RBAC rules of the chart are granted. */
  rbac: { tokenreviews: boolean; serviceaccounts: boolean }
  /** Status to answer every request with, or no answer at all. */
  fault: number | 'silent' | undefined
  /** Tokens whose review is not answered. */
  readonly unanswered: string[]
  /** Changes the status of a review, as another authenticator would. */
  rewrite: ((status: Record<string, unknown>) => Record<string, unknown>) | undefined
  rotateCertificate(): void
  rotateReviewerToken(): void
  /** Replaces the token file, as the kubelet does some time after a rotation. */
  writeCredentials(): void
  stop(): Promise<void>
}

type Inside = { accounts: Map<string, ServiceAccount>; clock: Clock; sign: (text: string) => string }

export async function startFakeKubernetes(clock: Clock = systemClock): Promise<FakeKubernetes> {
  const key = randomBytes(32)
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
  const accounts = new Map<string, ServiceAccount>()
  const credentialsDir = mkdtempSync(join(tmpdir(), 'svc-kubernetes-'))
  let certificate: (typeof CERTIFICATES)[number] = CERTIFICATES[0]
  let reviewerToken = randomUUID()
  const server = createServer(certificate, (request, response) => {
    void answer(fake, { accounts, clock, sign }, request).then((reply) => reply && send(response, reply))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const fake: FakeKubernetes = {
    url: `https://127.0.0.1:${port}`,
    ca: () => certificate.cert,
    env: {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT_HTTPS: String(port),
      SVC_KUBERNETES_CREDENTIALS_DIR: credentialsDir,
    },
    credentialsDir,
    reviewerToken: () => reviewerToken,
    serviceAccount: (namespace, name, annotations) => {
      const account = { namespace, name, uid: randomUUID(), annotations }
      accounts.set(`${namespace}/${name}`, account)
      return account
    },
    deleteServiceAccount: ({ namespace, name }) => void accounts.delete(`${namespace}/${name}`),
    token: (account, options) => issue(claimsOf(account, clock.now(), options), sign),
    rbac: { tokenreviews: true, serviceaccounts: true },
    fault: undefined,
    unanswered: [],
    rewrite: undefined,
    rotateCertificate: () => {
      certificate = CERTIFICATES[1]
      server.setSecureContext(certificate)
      server.closeAllConnections()
    },
    rotateReviewerToken: () => {
      reviewerToken = randomUUID()
    },
    writeCredentials: () => {
      writeFileSync(join(credentialsDir, 'ca.crt'), certificate.cert)
      writeFileSync(join(credentialsDir, 'token'), `${reviewerToken}\n`)
    },
    stop: () => close(server),
    [Symbol.asyncDispose]: async () => {
      await close(server)
      rmSync(credentialsDir, { recursive: true, force: true })
    },
  }
  fake.writeCredentials()
  return fake
}

async function answer(fake: FakeKubernetes, inside: Inside, request: IncomingMessage): Promise<Reply | undefined> {
  if (fake.fault === 'silent') {
    const { spec } = (await json(request)) as { spec: { token: string } }
    fake.unanswered.push(spec.token)
    return undefined
  }
  if (fake.fault !== undefined) return failure(fake.fault, 'injected')
  if (request.headers.authorization !== `Bearer ${fake.reviewerToken()}`) return failure(401, 'Unauthorized')
  if (`${request.method} ${request.url}` === 'POST /apis/authentication.k8s.io/v1/tokenreviews') {
    return fake.rbac.tokenreviews ? review(fake, inside, await json(request)) : forbidden('tokenreviews')
  }
  const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)$/.exec(request.url!) ?? []
  if (request.method !== 'GET' || !name || !fake.rbac.serviceaccounts) return forbidden('this resource')
  const account = inside.accounts.get(`${namespace}/${name}`)
  return account ? { status: 200, body: describe(account) } : failure(404, `serviceaccounts "${name}" not found`)
}

function review(fake: FakeKubernetes, { accounts, clock, sign }: Inside, body: unknown): Reply {
  const { spec } = body as { spec: { token?: string; audiences?: string[] } }
  if (!spec.token) return failure(400, 'TokenReview is invalid: spec.token: token is required for TokenReview')
  const status = reviewOf(spec.token, spec.audiences, { accounts, now: clock.now(), sign })
  return { status: 201, body: { kind: 'TokenReview', spec, status: fake.rewrite?.(status) ?? status } }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function claimsOf(
  { namespace, name, uid }: ServiceAccount,
  now: Date,
  options: TokenOptions = {},
): ServiceAccountClaims {
  const { audiences = ['svc-control-plane'], seconds = 3600, pod } = options
  const iat = Math.floor(now.getTime() / 1000)
  return {
    aud: audiences,
    exp: iat + seconds,
    iat,
    iss: API_AUDIENCE,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      serviceaccount: { name, uid },
      ...(pod && { pod: { name: pod, uid: randomUUID() }, node: { name: 'node-1' } }),
    },
    nbf: iat,
    sub: `system:serviceaccount:${namespace}:${name}`,
  }
}

function issue(claims: ServiceAccountClaims, sign: (text: string) => string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', kid: 'fake' })}.${part(claims)}`
  return `${text}.${sign(text)}`
}

function describe({ namespace, name, uid, annotations }: ServiceAccount) {
  const metadata = { name, namespace, uid, ...(annotations && { annotations }) }
  return { kind: 'ServiceAccount', apiVersion: 'v1', metadata }
}

function forbidden(resource: string): Reply {
  return failure(403, `${resource} is forbidden: User "system:serviceaccount:svc:auth-service" cannot do this`)
}

function failure(status: number, message: string): Reply {
  return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status } }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}
