import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..', '..')

/** Chroot isolation and plain copies work without a container runtime and without overlay mounts. */
const BUILDAH = ['--storage-driver', 'vfs']
const BUILD = ['bud', '--isolation', 'chroot', '--network', 'host', '--timestamp', '0', '--no-cache', '--quiet']

type Image = {
  id: string
  config: { User: string; Entrypoint: string[]; Cmd: string[]; Env: string[] }
  folder: string
}
type Images = AsyncDisposable & {
  /** Builds the Containerfile and mounts the result. Nothing is pulled. */
  build(): Promise<Image>
}

/** Makes base images from the Node, npm and libraries of this machine, in a storage of its own. */
export async function openImages(): Promise<Images> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  const storage = [...BUILDAH, '--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  const sources = join(folder, 'sources')
  const buildah = async (...args: string[]) => {
    const { stdout } = await run('buildah', [...storage, ...args], { cwd: sources, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }
  await copySources(sources)
  makeBase(join(folder, 'base'))
  await makeImage(buildah, 'localhost/svc-base', join(folder, 'base'))
  makeBuildBase(join(folder, 'build-base'))
  await makeImage(buildah, 'localhost/svc-build-base', join(folder, 'build-base'))
  return {
    build: async () => {
      const bases = ['BASE=localhost/svc-base', 'BUILD_BASE=localhost/svc-build-base']
      const id = await buildah(
        ...BUILD,
        ...bases.flatMap((base) => ['--build-arg', base]),
        '--file',
        'Containerfile',
        '.',
      )
      const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', id)) as {
        OCIv1: { config: Image['config'] }
      }
      const container = await buildah('from', id)
      return { id, config: OCIv1.config, folder: await buildah('mount', container) }
    },
    [Symbol.asyncDispose]: async () => {
      await buildah('rm', '--all')
      await buildah('rmi', '--all', '--force')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the last commit, so that changes of the checkout during the builds do not count. */
async function copySources(target: string): Promise<void> {
  const archive = `${target}.tar`
  mkdirSync(target, { recursive: true })
  await run('git', ['archive', '--output', archive, 'HEAD'], { cwd: ROOT })
  await run('tar', ['-xf', archive, '-C', target])
}

type Buildah = (...args: string[]) => Promise<string>

async function makeImage(buildah: Buildah, name: string, folder: string): Promise<void> {
  const container = await buildah('from', 'scratch')
  await buildah('copy', '--quiet', container, folder, '/')
  await buildah('commit', '--quiet', container, name)
  await buildah('rm', container)
}

/** Node and what it is linked with, and no shell, like a distroless image. */
function makeBase(folder: string): void {
  for (const part of ['tmp', 'etc', 'usr/local/bin']) mkdirSync(join(folder, part), { recursive: true })
  writeFileSync(
    join(folder, 'etc', 'passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532::/data:/sbin/nologin\n',
  )
  cpSync(process.execPath, join(folder, 'usr/local/bin/node'))
  copyLibraries(process.execPath, folder)
}

/** Adds npm, a shell and certificates. */
function makeBuildBase(folder: string): void {
  makeBase(folder)
  for (const program of ['/bin/sh', '/bin/mkdir', '/usr/bin/env']) {
    const target = join(folder, program)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(realpathSync(program), target)
    copyLibraries(program, folder)
  }
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())))
  cpSync(npm, join(folder, 'usr/local/lib/npm'), { recursive: true, dereference: true })
  const script = '#!/bin/sh\nexec /usr/local/bin/node /usr/local/lib/npm/bin/npm-cli.js "$@"\n'
  writeFileSync(join(folder, 'usr/local/bin/npm'), script, { mode: 0o755 })
  cpSync('/etc/ssl/certs', join(folder, 'etc/ssl/certs'), { recursive: true, dereference: true })
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  mkdirSync(join(folder, 'root'), { recursive: true })
  const authority = process.env.NODE_EXTRA_CA_CERTS
  if (authority) cpSync(authority, join(folder, 'etc/ssl/extra.pem'))
  writeFileSync(
    join(folder, 'root', '.npmrc'),
    `registry=${registry}\n${authority ? 'cafile=/etc/ssl/extra.pem\n' : ''}`,
  )
}

function copyLibraries(program: string, folder: string): void {
  const linked = execFileSync('ldd', [program], { encoding: 'utf8' })
  for (const [, path] of linked.matchAll(/(\/\S+) \(0x/g)) {
    const target = join(folder, path!)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(realpathSync(path!), target)
  }
}
