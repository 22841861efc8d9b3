import type { Command, Option } from '../../../command/command.ts'

const SIGNING_URL: Option = {
  name: 'signing-url',
  value: 'url',
  summary: 'URL of the webhook that the key is made from; - reads it from standard input',
}

const SECRET: Option = {
  name: 'secret',
  value: 'secret',
  summary: 'signing secret of the webhook (whsec_…), for Standard Webhooks; - reads it from standard input',
}

export const webhook: readonly Command[] = [
  {
    path: 'notifications webhook-sample',
    summary: 'Send one signed sample to a webhook receiver',
    description:
      'Send one signed sample from this machine to any address, also a local one. The request is what svc sends to a webhook: the same body, headers and signature. The key is made from the address that you type, or from the URL in --signing-url or SVC_WEBHOOK_URL. With --secret or SVC_WEBHOOK_SECRET it has the headers of Standard Webhooks too. Exits with 1 if the receiver does not answer with 2xx.',
    login: false,
    arguments: [{ name: 'url', summary: 'address of the receiver, as you will type it for the webhook' }],
    options: [
      SIGNING_URL,
      SECRET,
      {
        name: 'id',
        value: 'ntf_id',
        summary: 'id of the notification, to send the same one again (default: a new one)',
      },
      { name: 'print', summary: 'print the request and how its signature was made, and send nothing' },
    ],
    examples: [
      'svc notifications webhook-sample http://127.0.0.1:4010/in/Vf7Qk2Zp9xLw4TnB',
      'svc notifications webhook-sample https://hooks.example.com/in/Vf7Qk2Zp9xLw4TnB --print',
    ],
    load: () => import('./sample.ts'),
  },
  {
    path: 'notifications webhook-receiver',
    summary: 'Run a webhook receiver on this machine',
    description:
      'Run a small receiver on loopback until Ctrl-C. It prints a fresh address, and for each request what arrived and whether its signature is right. It reports a wrong key, a timestamp that is more than five minutes away, an id that it has seen before and a body that is too large. With --signing-url or SVC_WEBHOOK_URL it checks with the key of that webhook, such as one behind a tunnel to this machine. With --secret or SVC_WEBHOOK_SECRET it checks the headers of Standard Webhooks instead.',
    login: false,
    options: [
      { name: 'port', value: 'n', range: [1, 65535], summary: 'port to listen on (default: a free one)' },
      SIGNING_URL,
      SECRET,
      {
        name: 'count',
        value: 'n',
        range: [1, 1000],
        summary: 'end after this many requests, with exit code 1 if one was not right',
      },
    ],
    examples: ['svc notifications webhook-receiver', 'svc notifications webhook-receiver --port 4010 --count 1 --json'],
    load: () => import('./receiver.ts'),
  },
]
