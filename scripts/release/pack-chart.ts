import { createWriteStream } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { parse } from 'yaml'

/** Writes the chart as `helm package` does, except that it has no times: the same files give the same bytes. */
export async function packChart(chart: string, into: string): Promise<void> {
  const { name, version } = parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as {
    name: string
    version: string
  }
  const entries = await Array.fromAsync(glob('**/*', { cwd: chart, withFileTypes: true }))
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const tar = pack()
  for (const path of paths.toSorted()) {
    const header = { name: join(name, path.slice(chart.length + 1)), mode: 0o644, mtime: new Date(0) }
    tar.entry(header, await readFile(path))
  }
  tar.finalize()
  const file = join(into, `${basename(name)}-chart-${version}.tgz`)
  await pipeline(tar, createGzip({ level: 9 }), createWriteStream(file))
}
