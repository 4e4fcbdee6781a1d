/** Something a form does: whether it is under way, and what came of it. */

import { sentence } from "../api/client";

export class Task {
  isBusy = $state(false);
  message = $state("");
  problem = $state("");

  /** Do it; what it gives is what to say. */
  async run(work: () => Promise<string>): Promise<void> {
    [this.isBusy, this.message, this.problem] = [true, "", ""];
    try {
      this.message = await work();
    } catch (error) {
      this.problem = sentence(error);
    } finally {
      this.isBusy = false;
    }
  }
}
