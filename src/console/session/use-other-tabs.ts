import { useEffect } from 'react'

/** Sends other tabs of this browser whose session it is, and calls `onOther` when one of them has another session. */
export function useOtherTabs(identity: string, onOther: () => void): void {
  useEffect(() => {
    const channel = new BroadcastChannel('svc-session')
    channel.addEventListener('message', ({ data }) => {
      if (typeof data === 'string' && data !== identity) onOther()
    })
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches pages of this origin only
    channel.postMessage(identity)
    return () => channel.close()
  }, [identity, onOther])
}
