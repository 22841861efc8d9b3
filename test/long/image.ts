import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/free-port.ts'
import { openImages } from '#test/programs/image.ts'
import { until } from '#test/until.ts'

/**
 * `npm run test:image` proves the Containerfile: it builds twice from base images made of this machine's Node, compares
 * the results, and starts the server of the image as user 65532. Needs buildah and root, and takes some minutes.
 */
await using images = await openImages()
const image = await images.build()
console.log(`built ${image.id}`)

assert.equal(image.config.User, '65532:65532')
assert.deepEqual([image.config.Entrypoint, image.config.Cmd.at(-1)], [['node'], 'dist/server.js'])
for (const file of ['bin/svc-server.js', 'dist/server.js', 'dist/builds', 'package.json']) {
  assert.ok(existsSync(join(image.folder, 'app', file)), `the image has no ${file}`)
}
const unwanted = globSync(['app/src', 'app/test', 'app/node_modules/vitest', 'app/.git', 'app/**/.env', 'bin/sh'], {
  cwd: image.folder,
})
assert.deepEqual(unwanted, [])

await startInside(image.folder)
console.log('the server of the image started as user 65532 and is ready')

const again = await images.build()
assert.deepEqual(differences(image.folder, again.folder), [], 'two builds have different files')
assert.equal(again.id, image.id, 'two builds of the same sources differ')
console.log('two builds are the same image')

/** Files that only one of two folders has, or that have different contents. */
function differences(one: string, other: string): string[] {
  const files = new Set([one, other].flatMap((root) => globSync('app/**', { cwd: root, withFileTypes: false })))
  return [...files].filter((file) => digest(join(one, file)) !== digest(join(other, file)))
}

function digest(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return stat === undefined ? 'absent' : 'no file'
  return hash('sha256', readFileSync(path))
}

/** Runs the server with the files of the image as its root, as an unprivileged user who can write to /data only. */
async function startInside(root: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'svc-data-'))
  const port = await freePort()
  const command = `mount --bind ${root} ${root} && mount -o remount,ro,bind ${root} && chmod 700 ${data} && chown 65532:65532 ${data} && mount --bind ${data} ${root}/data && mount -t tmpfs tmpfs ${root}/tmp -o mode=1777 && exec chroot --userspec=65532:65532 ${root} /usr/local/bin/node --max-semi-space-size=16 /app/dist/server.js`
  const child = spawn('unshare', ['--mount', 'sh', '-c', command], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), SVC_DATA_DIR: '/data', SVC_EXAMPLE: 'false' },
    stdio: 'inherit',
  })
  try {
    await until(async () => {
      assert.equal(child.exitCode, null, 'the server of the image ended')
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
      return response?.status === 200
    })
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true })
  }
  assert.equal(child.exitCode, 0, 'SIGTERM ends the server with 0')
}
