/** Flow control's view of one started delivery. Its gate and the pipeline report what it waits for. */
export interface DeliveryProgress {
  /** Notes that it waits for a suspect endpoint or for Kafka. A first attempt does not count as active from then on. */
  markWaiting(): void;
  /**
   * Notes that it needs no endpoint for now: it waits for its webhook's own pace, or moves on to another tier. A retry does not
   * count as active from then on.
   */
  markIdle(): void;
  /** Notes that the waiting room of its healthy endpoint is full, or that it has got a place there. */
  markOutsideRoom(isOutside: boolean): void;
}

export interface StartedDelivery extends DeliveryProgress {
  /** Must be called once, when the delivery is settled or abandoned. */
  end(): void;
}

/** The deliveries of one record that are not started yet. */
export interface DeliveryCursor {
  readonly ownerId: string;
  readonly hasNext: boolean;
  startNext(started: StartedDelivery): void;
  /** Abandons the deliveries that are not started. */
  abandon(): void;
}
