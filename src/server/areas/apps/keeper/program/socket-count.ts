import { once } from '../../door/program/send-and-watch.ts'
import type { SocketSeries } from '../../door/socket-series.ts'

type Tell = (label: string, was: 'opened' | 'closed' | 'refused') => void

/** Counts the WebSockets of apps, and tells servers of them, which have the metrics. */
export function createSocketCount(tell: Tell): SocketSeries & { readonly labels: () => Iterable<string> } {
  const open = new Map<object, string>()
  return {
    /** The label of each that is open. */
    labels: () => open.values(),
    open: (label) => {
      const socket = {}
      open.set(socket, label)
      tell(label, 'opened')
      return once(() => {
        open.delete(socket)
        tell(label, 'closed')
      })
    },
    refused: () => tell('', 'refused'),
  }
}
