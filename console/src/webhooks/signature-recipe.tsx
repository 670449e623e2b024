// How to send a signed request, ready to be pasted. With the secret while it is on the page, with a blank afterwards.
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Copy } from '../ui/copy.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'

type Recipe = (url: string, secret: string) => string

const recipes: Record<string, Recipe> = {
  curl: (url, secret) => `BODY='{"number":4711}'
SIGNATURE=$(printf %s "$BODY" | openssl dgst -sha256 -hmac '${secret}' | sed 's/^.* //')
curl '${url}' -H 'Content-Type: application/json' -H "X-Patchbay-Signature: sha256=$SIGNATURE" -d "$BODY"`,
  JavaScript: (url, secret) => `import { createHmac } from 'node:crypto'

const body = JSON.stringify({ number: 4711 })
const signature = createHmac('sha256', '${secret}').update(body).digest('hex')
await fetch('${url}', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-Patchbay-Signature': \`sha256=\${signature}\` },
  body,
})`,
  Python: (url, secret) => `import hashlib, hmac, json, urllib.request

body = json.dumps({"number": 4711}).encode()
signature = hmac.new(b"${secret}", body, hashlib.sha256).hexdigest()
headers = {"Content-Type": "application/json", "X-Patchbay-Signature": "sha256=" + signature}
urllib.request.urlopen(urllib.request.Request("${url}", body, headers))`,
  PHP: (url, secret) => `<?php
$body = json_encode(['number' => 4711]);
$signature = hash_hmac('sha256', $body, '${secret}');
$request = curl_init('${url}');
curl_setopt_array($request, [
  CURLOPT_POSTFIELDS => $body,
  CURLOPT_HTTPHEADER => ['Content-Type: application/json', "X-Patchbay-Signature: sha256=$signature"],
]);
curl_exec($request);`,
}

export function SignatureRecipe({ url, secret }: { url: string; secret: string | undefined }) {
  const [language, setLanguage] = useState('curl')
  const text = (recipes[language] as Recipe)(url, secret ?? 'YOUR-SECRET')
  return (
    <details open={secret !== undefined} className="group">
      <summary className="flex w-fit list-none items-center gap-1 rounded-sm text-table font-medium text-muted hover:text-text">
        <ChevronRight size={14} aria-hidden className="group-open:rotate-90" />
        How to send a signed request
      </summary>
      <div className="mt-3">
        <div className="mb-2 flex flex-wrap items-center gap-1.5">
          {Object.keys(recipes).map((name) => (
            <FilterChip key={name} label={name} isOn={name === language} onChange={() => setLanguage(name)} />
          ))}
          <span className="ml-auto">
            <Copy text={text} label={`Copy the ${language} example`} isMono={false}>
              Copy
            </Copy>
          </span>
        </div>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
          tabIndex={0}
          className="overflow-x-auto rounded-md border border-line bg-sunk p-3 font-mono text-label leading-5"
        >
          {text}
        </pre>
        <p className="mt-2 text-label text-muted">
          The formats of Shopify, WooCommerce, Stripe, GitHub, Slack, Xero, QuickBooks, HubSpot and Standard Webhooks
          are recognized automatically.
        </p>
      </div>
    </details>
  )
}
