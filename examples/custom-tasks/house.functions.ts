import { CustomBrowserTask, type Page, type PageData, registerCustomTask } from 'taskwright';

const NOTES = ['Gate 14, row C, seat 7', 'Ring twice, then wait', 'Tea at half past four'];

/** Copy a note into a field. The note is another one for each seed. */
class CopyNote extends CustomBrowserTask {
  override maxSteps = 10;

  html(seed: number): string {
    const note = NOTES[Math.abs(seed) % NOTES.length];
    return `<!doctype html>
      <html lang="en">
        <title>A note</title>
        <style>
          body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: #eef2f4; color: #1d2a30;
            font: 17px/1.5 system-ui, sans-serif; }
          main { width: 460px; padding: 32px; border-radius: 14px; background: #fff; box-shadow: 0 10px 34px #1d2a3018; }
          blockquote { margin: 0 0 24px; padding: 16px 20px; border-left: 4px solid #2c7d8c; background: #f3f8f9; }
          input, button { font: inherit; padding: 10px 14px; border-radius: 8px; border: 1px solid #b9c7cc; }
          input { width: 100%; box-sizing: border-box; margin: 6px 0 16px; }
          button { border: 0; background: #1f6572; color: #fff; cursor: pointer; }
          [hidden] { display: none; }
        </style>
        <main>
          <blockquote id="note">${note}</blockquote>
          <label for="copy">Your copy</label>
          <input id="copy" autocomplete="off" />
          <button id="submit">Submit</button>
          <p id="thanks" role="status" hidden>Thank you, that is the note.</p>
          <p id="sorry" role="alert" hidden>That is not the note.</p>
        </main>
        <script>
          const get = (id) => document.getElementById(id);
          get('submit').onclick = () => {
            const same = get('copy').value === get('note').textContent;
            get('thanks').hidden = !same;
            get('sorry').hidden = same;
          };
        </script>
      </html>`;
  }

  reward({ text }: PageData, action: string, error: string | null): number {
    if (error !== null) return -0.1;
    if (text.includes('Thank you')) return 1;
    return action.startsWith('fill') ? 0.5 : 0;
  }

  done({ text }: PageData): boolean {
    return text.includes('Thank you');
  }
}

registerCustomTask('copy-note', CopyNote);

interface Booking {
  readonly room: string | null;
}

/** Find out on one page which room is free, and book it on another one. */
class BookRoom extends CustomBrowserTask<Booking> {
  override maxSteps = 15;

  html(): string {
    return '<!doctype html><title>The house</title><meta http-equiv="refresh" content="0; url=rooms.html" />';
  }

  override goal(): string {
    return 'Find out which room is free on Tuesday afternoon, and book it in the name of Okafor.';
  }

  override async extract(page: Page): Promise<Booking> {
    return { room: await page.evaluate(() => localStorage.getItem('booked')) };
  }

  reward({ url, custom_data }: PageData<Booking>, _action: string, error: string | null): number {
    if (error !== null) return -0.1;
    if (custom_data.room !== null) return custom_data.room === 'Larch/Okafor' ? 1 : 0;
    return url.endsWith('/booking.html') ? 0.3 : 0;
  }

  done({ custom_data }: PageData<Booking>): boolean {
    return custom_data.room !== null;
  }
}

registerCustomTask('book-room', BookRoom);
