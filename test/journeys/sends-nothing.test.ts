import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { needs } from '#test/stores.ts'

/** A way out that leads nowhere: whatever is sent there is counted. Without IPv6, which sends packets by itself. */
const NETWORK = `
set -e
ip link set lo up
ip link add out type veth peer name nowhere
for name in out nowhere; do
  echo 1 > /proc/sys/net/ipv6/conf/$name/disable_ipv6
  ip link set $name up
done
ip address add 192.0.2.1/24 dev out
ip route add default via 192.0.2.2
mount --bind "$1/resolv.conf" /etc/resolv.conf
shift
exec "$@"`

needs('network namespaces', 'bubblewrap')('svc by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-quiet-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('OP-01 looks up no name, sends no packet and leaves no file: a start, the example, a question, an app, a maintenance run', () => {
    for (const name of ['home', 'tmp']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n')
    const script = join(import.meta.dirname, '..', 'help', 'programs', 'watched-network.ts')
    const run = ['sh', '-c', NETWORK, 'sh', folder, process.execPath, script, folder]
    // With its own process ids everything ends with the script, whatever becomes of it.
    const apart = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child']
    const { stdout, stderr } = spawnSync('unshare', [...apart, ...run], { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      answers: 10,
      run: 'ended',
      lookups: [],
      packets: 0,
      home: [],
      temporary: [],
      control: 'control.test',
    })
  })
})
