import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';

function leaks(prompt: string, answer: string | readonly string[], gym = 'qa', name = 'response_includes'): boolean {
  const task = { id: 'a', prompt, gym, evaluate: [name, answer] };
  const findings = diagnose(readTasks('/a.task.json', JSON.stringify(task)), new Map());
  return findings.some(({ code }) => code === 'answer-in-prompt');
}

describe('a prompt that gives its answer away', () => {
  it.each([
    ['The capital of France is Paris. What is the capital of France?', 'Paris'],
    ['Paris is the capital of France. What is the capital of France?', 'Paris'],
    ['What is the capital of France? The answer is Paris.', 'Paris'],
    ['What is the capital of France? Answer: Paris', 'Paris'],
    ['What is the capital of France? (Answer: "Paris")', 'Paris'],
    ['What is the capital of France? Hint: Paris.', 'paris'],
  ])('%s → %s', (prompt, wanted) => {
    expect(leaks(prompt, wanted)).toBe(true);
  });

  it('is reported at the answer, with the answer', () => {
    const prompt = 'What is the capital of France? The answer is Paris.';
    const text = JSON.stringify({ id: 'a', prompt, gym: 'qa', evaluate: ['response_is', 'Paris'] });
    const [finding] = diagnose(readTasks('/a.task.json', text), new Map());
    expect(finding).toMatchObject({ severity: 'warning', code: 'answer-in-prompt' });
    expect(text.slice(finding?.range.start.character, finding?.range.end.character)).toBe('Paris');
    expect(finding?.message).toContain('“Paris”');
  });

  it('is reported only if it contains the complete answer', () => {
    const prompt = 'The Rhine is one river of Koblenz. Which two meet there? The answer is Rhine and Moselle.';
    expect(leaks(prompt, ['Rhine', 'Moselle'])).toBe(false);
    expect(leaks('Which river? The answer is Rhine.', ['Rhine'])).toBe(true);
  });
});

describe('a prompt that shares words with the answer', () => {
  it.each([
    ['What is the capital of France?', 'Paris'],
    ['Is 7 a prime number? Answer yes or no.', 'yes'],
    ['Is the sky blue? Answer true or false.', 'true'],
    ['Which is larger: Paris or London?', 'London'],
    ['Choose one of: red, green, blue. Which one is the color of grass?', 'green'],
    ['What color is grass?\nA) red\nB) green', 'green'],
    ['Reply with the word DONE when you are finished.', 'DONE'],
    ['Add the milk to the cart and answer with "Finished".', 'Finished'],
    ['Explain what recursion is.', 'recursion'],
    ['Define photosynthesis.', 'photosynthesis'],
    ['Translate "hello world" into French and keep the word hello.', 'hello'],
    ['Read the text: The capital of France is Paris. What is its capital?', 'Paris'],
    ['According to the article, the winner was Anna. Who won?', 'Anna'],
    ['My name is 42. What is my name?', '42'],
    ['The sum is 12. What is twice the sum?', '24'],
    ['New York is large. What is the capital of the state?', 'York is'],
    ['What is a Parisian? Where do they live?', 'Paris'],
    ['How do you spell the word necessary?', 'necessary'],
    ['If the answer is unknown, say so. What is the airspeed of a swallow?', 'unknown'],
    ['What is the name of the author of Harry Potter?', 'Harry Potter'],
    ['What is the title of the page?', 'Shop'],
    ['', 'Paris'],
  ])('%s → %s', (prompt, wanted) => {
    expect(leaks(prompt, wanted)).toBe(false);
  });

  it.each(['page_contains', 'url_contains', 'element_exists'])('is not reported for %s', (name) => {
    expect(leaks('Type the answer: Paris into the field.', 'Paris', 'hud-browser', name)).toBe(false);
  });
});
