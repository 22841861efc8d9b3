import { Page } from '#console/parts/page/page.tsx'

/** The end of signing in again in a new tab. The tab with the unfinished work notices by itself. */
export function SignedIn() {
  return (
    <Page title="You are signed in">
      <p>Close this tab and go on in the one you came from.</p>
    </Page>
  )
}
