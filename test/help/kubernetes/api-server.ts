import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOperatorFetch } from '#lib/net/operator-fetch.ts'
import { freePort } from '../free-port.ts'
import { untilDone } from '../until.ts'
import { startFakeApiServer } from './fake-api-server.ts'
import { CERTIFICATES } from './fake-kubernetes-certificates.ts'

/** A Kubernetes API server, and a folder with the credentials of an administrator. */
export type ApiServer = AsyncDisposable & { readonly url: string; readonly credentialsDir: string }

/**
 * Starts the API server in the folder that KUBEBUILDER_ASSETS names (`etcd` and `kube-apiserver`, as setup-envtest
 * installs them), or the fake one. Without controllers and nodes nothing runs in either.
 */
export function startApiServer(): Promise<ApiServer> {
  const assets = process.env.KUBEBUILDER_ASSETS
  return assets ? startRealApiServer(assets) : startFakeApiServer()
}

async function startRealApiServer(assets: string): Promise<ApiServer> {
  const stack = new AsyncDisposableStack()
  try {
    return await startIn(stack, assets)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function startIn(stack: AsyncDisposableStack, assets: string): Promise<ApiServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-server-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const etcd = await startEtcd(join(assets, 'etcd'), folder, stack)
  const { cert, key } = CERTIFICATES[0]
  const token = randomUUID()
  const files = {
    'ca.crt': cert,
    'tls.key': key,
    token,
    namespace: 'svc',
    users: `${token},admin,admin,system:masters`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const file = (name: string) => join(folder, name)
  const url = `https://127.0.0.1:${await freePort()}`
  const options = {
    'etcd-servers': etcd,
    'bind-address': '127.0.0.1',
    'secure-port': new URL(url).port,
    'tls-cert-file': file('ca.crt'),
    'tls-private-key-file': file('tls.key'),
    'client-ca-file': file('ca.crt'),
    'token-auth-file': file('users'),
    'service-account-issuer': url,
    'service-account-key-file': file('tls.key'),
    'service-account-signing-key-file': file('tls.key'),
    'service-cluster-ip-range': '10.0.0.0/24',
    'endpoint-reconciler-type': 'none',
    'authorization-mode': 'RBAC',
    'cert-dir': folder,
  }
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = start(join(assets, 'kube-apiserver'), args, stack)
  const send = createOperatorFetch({ ca: cert })
  const headers = { authorization: `Bearer ${token}` }
  await untilDone(async () => {
    if (child.exitCode !== null) return
    const { status } = await send(new Request(`${url}/readyz`, { headers }))
    if (status !== 200) throw new Error(`kube-apiserver answers ${status}`)
  })
  if (child.exitCode !== null) throw new Error(`kube-apiserver ended with ${child.exitCode}`)
  return { url, credentialsDir: folder, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function startEtcd(program: string, folder: string, stack: AsyncDisposableStack): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const clients = [`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`]
  const peers = [`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`]
  const args = [`--data-dir=${join(folder, 'etcd')}`, ...clients, ...peers, `--initial-cluster=default=${peer}`]
  start(program, args, stack)
  await untilDone(async () => {
    if (!(await fetch(`${url}/health`)).ok) throw new Error('etcd is not ready')
  })
  return url
}

function start(program: string, args: string[], stack: AsyncDisposableStack): ChildProcess {
  // etcd refuses to run on some processors unless it is told that this is intended.
  const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: 'arm64' }
  const child = spawn(program, args, { env, stdio: 'ignore' })
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return child
}
