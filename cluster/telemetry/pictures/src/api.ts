// Prometheus's HTTP API, as the page and the command ask it.

/** Asks for what an endpoint below /api/v1 answers with: the data, not the envelope. */
export async function ask(url: string, endpoint: string, parameters: Record<string, string>) {
  const response = await fetch(`${url}/api/v1/${endpoint}?${new URLSearchParams(parameters)}`);
  const answer = await response.json();
  if (answer.status !== 'success') {
    throw new Error(`${parameters.query ?? endpoint}: ${answer.error}`);
  }
  return answer.data;
}
