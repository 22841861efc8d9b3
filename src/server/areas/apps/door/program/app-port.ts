import { createHops, type Hops } from '#edge/credentials/hop.ts'
import { type Listener, listen } from '#edge/listen/listen.ts'
import { addressList, createInfoReader } from '#edge/listen/request-info.ts'
import { systemClock } from '#lib/time/clock.ts'
import type { AppRequest } from '#ports/apps.ts'
import { appLabelOf } from '../host-name.ts'
import type { DoorSettings } from '../messages.ts'
import { type AppRoute, createAppDoor } from './door.ts'
import { readForwardedApp } from './forwarding.ts'
import { portLimits } from './port-limits.ts'

type Handlers = {
  readonly find: (asked: AppRequest, hops: Hops) => Promise<AppRoute>
  /** Called when the app of this label did not answer. */
  readonly onFault: (error: unknown, label: string) => void
  readonly onError: (error: unknown) => void
}

/** Opens the port of apps and answers everything that arrives there. Throws if the port is in use. */
export function openAppPort(settings: DoorSettings, { find, onFault, onError }: Handlers): Promise<Listener> {
  const hops = createHops(settings.hopSecret, systemClock)
  const trustedProxies = addressList(settings.trustedProxies)
  const answer = createAppDoor({ find: (asked) => find(asked, hops), onError: onFault })
  return listen({
    host: settings.host,
    port: settings.port,
    fetch: async (request, { clientAddress }) => {
      const forwarded = readForwardedApp(request, hops)
      if (forwarded) return answer(forwarded)
      const host = request.headers.get('host') ?? ''
      // A host name outside the domain belongs to no app.
      const label = appLabelOf(host, settings.domain) ?? ''
      return answer({ label, request, host, isSecure: settings.isSecure, clientAddress })
    },
    readInfo: createInfoReader({ trustedProxies, hops }),
    ...portLimits(trustedProxies),
    onError,
  })
}
