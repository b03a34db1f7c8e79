/** The task, page, and solution that “Create an Example Task” writes. */
export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  'order.task.json': `${JSON.stringify(
    {
      id: 'order',
      prompt: 'Order two lamps and report what you ordered.',
      gym: { type: 'hud-browser' },
      setup: [{ function: 'goto', args: ['order.html'] }],
      evaluate: [
        { function: 'page_contains', args: ['Thank you'] },
        { function: 'response_includes', args: ['2 lamps'] },
      ],
    },
    null,
    2,
  )}\n`,
  'order.actions': `# One action a line. This is the solution of the task “order”: Run replays it.
fill('#count', '2')
click('#order')
response('I ordered 2 lamps.')
`,
  'order.html': `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Lamps</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto; }
  input { width: 4rem; font: inherit; }
  button { font: inherit; }
</style>
<h1>Lamps</h1>
<form>
  <label>How many? <input id="count" type="number" min="1" value="1"></label>
  <button id="order">Order</button>
</form>
<p id="done"></p>
<script>
  document.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    document.querySelector('#done').textContent = 'Thank you for ordering ' + document.querySelector('#count').value + ' lamps.';
  });
</script>
</html>
`,
};
