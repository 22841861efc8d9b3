import { Counter, Gauge, type Registry } from 'prom-client'
import { once } from './program/send-and-watch.ts'

/** The WebSockets of apps in the metrics of a process. */
export type SocketSeries = {
  /** Counts a WebSocket of an app as open until the result is called. */
  readonly open: (app: string) => () => void
  /** Counts one for which there was no room. */
  readonly refused: () => void
}

const MAX_APPS = 1_000
const OTHERS = 'others'

/** Adds the series to a process, by the first label of the address of an app. Further apps than 1,000 are counted together. */
export function createSocketSeries(registry: Registry): SocketSeries {
  const registers = [registry]
  const labelNames = ['app']
  const open = new Gauge({ name: 'svc_app_sockets', help: 'WebSockets to apps that are open', labelNames, registers })
  const opened = new Counter({
    name: 'svc_app_sockets_opened_total',
    help: 'WebSockets to apps that were opened',
    labelNames,
    registers,
  })
  const refused = new Counter({
    name: 'svc_app_sockets_refused_total',
    help: 'WebSockets to apps that were refused because too many were open',
    registers,
  })
  const apps = new Set<string>()
  return {
    open: (label) => {
      const app = apps.has(label) || apps.size < MAX_APPS ? label : OTHERS
      apps.add(app)
      open.inc({ app })
      opened.inc({ app })
      return once(() => open.dec({ app }))
    },
    refused: () => refused.inc(),
  }
}
