import { createHops, type Hops } from '#edge/credentials/hop.ts'
import { type Listener, listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import { systemClock } from '#lib/time/clock.ts'
import type { AppRequest } from '#ports/apps.ts'
import { appLabelOf } from '../host-name.ts'
import type { DoorSettings } from '../messages.ts'
import { type AppRoute, createAppDoor } from './door.ts'
import { readForwardedApp } from './forwarding.ts'
import { portLimits, socketLimit } from './port-limits.ts'
import { createClientPlaces } from './sockets/client-places.ts'
import { createSocketDoor, type SocketRoute } from './sockets/socket-door.ts'

type Handlers = {
  readonly find: (asked: AppRequest, hops: Hops) => Promise<AppRoute>
  readonly findSocket: (asked: AppRequest, hops: Hops) => Promise<SocketRoute>
  /** Called when the app of this label did not answer. */
  readonly onFault: (error: unknown, label: string) => void
  readonly onError: (error: unknown) => void
}

/** Opens the port of apps and answers everything that arrives there. Throws if the port is in use. */
export function openAppPort(
  settings: DoorSettings,
  { find, findSocket, onFault, onError }: Handlers,
): Promise<Listener> {
  const hops = createHops(settings.hopSecret, systemClock)
  const trustedProxies = addressList(settings.trustedProxies)
  const answer = createAppDoor({ find: (asked) => find(asked, hops), onError: onFault })
  const answerSocket = createSocketDoor({
    find: (asked) => findSocket(asked, hops),
    clients: createClientPlaces(socketLimit(trustedProxies)),
    key: settings.socketKey,
    onError: onFault,
  })
  const read = (request: Request, clientAddress: string) =>
    readForwardedApp(request, hops) ?? readApp(request, clientAddress, settings)
  return listen({
    host: settings.host,
    port: settings.port,
    fetch: (request, { clientAddress }) => answer(read(request, clientAddress)),
    upgrade: (request, { clientAddress }, takeOver) => answerSocket(read(request, clientAddress), takeOver),
    readInfo: createInfoReader({ trustedProxies, hops }),
    ...portLimits(trustedProxies),
    onError,
  })
}

function readApp(request: Request, clientAddress: string, { domain, isSecure }: DoorSettings): AppRequest {
  const host = request.headers.get('host') ?? ''
  // A host name outside the domain belongs to no app.
  return { label: appLabelOf(host, domain) ?? '', request, host, isSecure, clientAddress }
}
