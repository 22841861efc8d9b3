import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterAll, describe, expect, it } from 'vitest'
import { readBaseImage } from '../scripts/release/image/base-image.ts'
import { readSettings } from '../scripts/release/image/containerfile.ts'
import { isRuntimeFile } from '../scripts/release/image/runtime-files.ts'
import { writeImage } from '../scripts/release/image/write-image.ts'

const ROOT = join(import.meta.dirname, '..')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

type Written = { mediaType: string; digest: string; size: number }

/** Writes an image with one small layer as an OCI layout. */
function makeBase(folder: string, platforms = 1): void {
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true })
  const write = (mediaType: string, bytes: Buffer): Written => {
    writeFileSync(join(folder, 'blobs', 'sha256', sha256(bytes)), bytes)
    return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length }
  }
  const layer = write('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync('a layer'))
  const config = write(
    'application/vnd.oci.image.config.v1+json',
    Buffer.from(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        config: { Env: ['PATH=/nodejs/bin', 'SSL_CERT_FILE=/etc/ssl/certs.pem'], User: '0' },
        rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(Buffer.from('a layer'))}`] },
      }),
    ),
  )
  const manifest = write(
    'application/vnd.oci.image.manifest.v1+json',
    Buffer.from(JSON.stringify({ schemaVersion: 2, config, layers: [layer] })),
  )
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ manifests: Array(platforms).fill(manifest) }))
}

async function readArchive(file: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const archive = extract()
  archive.end(readFileSync(file))
  for await (const entry of archive) {
    files.set(entry.header.name, Buffer.concat(await Array.fromAsync<Buffer>(entry)))
  }
  return files
}

describe('OP-12 the image of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const settings = readSettings(readFileSync(join(ROOT, 'Containerfile'), 'utf8'))

  it('has the settings of the Containerfile', () => {
    expect(settings).toEqual({
      WorkingDir: '/app',
      User: '65532:65532',
      Env: [
        'PATH=/nodejs/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        'NODE_ENV=production',
        'HOST=0.0.0.0',
        'PORT=8080',
        'SVC_DATA_DIR=/data',
        'SVC_ALLOW_PROCESS_DEPLOYS=false',
      ],
      ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
      StopSignal: 'SIGTERM',
      Entrypoint: ['node'],
      Cmd: ['--max-semi-space-size=16', 'dist/server.js'],
    })
    expect(() => readSettings('FROM a\n')).toThrow('has no EXPOSE')
  })

  it.each([
    ['node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1', true],
    ['node_modules/onnxruntime-node/bin/napi-v6/linux/arm64/libonnxruntime.so.1', false],
    ['node_modules/onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll', false],
    ['node_modules/onnxruntime-node/dist/index.js', true],
    ['node_modules/bare-fs/prebuilds/linux-x64/bare-fs.bare', true],
    ['node_modules/bare-fs/prebuilds/darwin-x64/bare-fs.bare', false],
    ['node_modules/bare-fs/prebuilds/ios-arm64-simulator/bare-fs.bare', false],
    ['node_modules/zod/v4/index.d.cts', false],
    ['node_modules/zod/src/index.ts', false],
    ['node_modules/hono/dist/index.js.map', false],
    ['node_modules/hono/dist/index.mjs', true],
    ['node_modules/pg/package.json', true],
    ['node_modules/pino/test/basic.test.js', false],
    ['node_modules/@pinojs/redact/test/index.js', false],
    ['node_modules/yaml/dist/doc/Document.js', true],
    ['node_modules/one/node_modules/two/docs/index.html', false],
    ['node_modules/hono/README.md', false],
    ['node_modules/two/LICENSE.md', true],
    ['node_modules/zod/v4/core/schemas.cjs', false],
    ['node_modules/@electric-sql/pglite/dist/index.cjs', true],
    ['node_modules/@electric-sql/pglite/dist/pglite.cjs', false],
    ['node_modules/@electric-sql/pglite/dist/pglite.data', true],
    ['node_modules/@electric-sql/pglite/dist/pgcrypto.tar.gz', false],
    ['node_modules/@electric-sql/pglite-pgvector/dist/vector.tar.gz', true],
    ['node_modules/one/LICENSE.d.ts', true],
    ['node_modules/one/NOTICE.map', true],
  ])('has of the packages what runs there: %s is %s', (path, isIn) => {
    expect(isRuntimeFile(path, { system: 'linux', cpu: 'x64' })).toBe(isIn)
  })

  it('is the base with one more layer, every digest is right, and it is the same to the byte when made again', async () => {
    makeBase(join(folder, 'base'))
    const base = await readBaseImage(join(folder, 'base'))
    const layer = Buffer.from('files of the server')
    for (const name of ['one.tar', 'two.tar'])
      await writeImage(join(folder, name), { base, layer, settings, name: 'svc:1' })
    expect(readFileSync(join(folder, 'one.tar')).equals(readFileSync(join(folder, 'two.tar')))).toBe(true)

    const files = await readArchive(join(folder, 'one.tar'))
    const blob = ({ digest }: Written): unknown =>
      JSON.parse(files.get(`blobs/${digest.replace(':', '/')}`)!.toString())
    for (const [path, bytes] of files) if (path.startsWith('blobs/')) expect(path).toBe(`blobs/sha256/${sha256(bytes)}`)
    const index = JSON.parse(files.get('index.json')!.toString()) as { manifests: [Written] }
    const manifest = blob(index.manifests[0]) as { config: Written; layers: [Written, Written] }
    const config = blob(manifest.config) as {
      config: { Env: string[]; User: string }
      rootfs: { diff_ids: string[] }
    }
    expect(config.config.User).toBe('65532:65532')
    expect(config.config.Env.slice(0, 2)).toEqual(['SSL_CERT_FILE=/etc/ssl/certs.pem', settings.Env[0]])
    expect(config.rootfs.diff_ids[1]).toBe(`sha256:${sha256(layer)}`)
    const added = files.get(`blobs/${manifest.layers[1].digest.replace(':', '/')}`)!
    expect(gunzipSync(added).equals(layer)).toBe(true)
  })

  it('is not made on a base of several platforms', async () => {
    makeBase(join(folder, 'several'), 2)
    await expect(readBaseImage(join(folder, 'several'))).rejects.toThrow('must have one image of one platform')
  })
})
