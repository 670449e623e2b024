/** What the sender, or whoever set up the webhook, can do about a refused request. */
export function wayOut({ statusCode, reason }: { statusCode: number; reason: string }): string {
  if (/signature|secret/i.test(reason)) {
    return 'Compare the secret of the sender with the one set here, and how the signature is made.'
  }
  if (/ipRestriction|address/i.test(reason)) return 'Add the address to the allowed ones, if you know the sender.'
  if (statusCode === 413) return 'Let the sender split the request, or send a link in place of the content.'
  if (statusCode === 415 || statusCode === 400)
    return 'Let the sender send valid JSON, form fields or XML, with a matching Content-Type.'
  if (statusCode === 429 || statusCode === 503) return 'The sender may repeat it: nothing was stored.'
  return 'The sender got this answer and may repeat the request.'
}
